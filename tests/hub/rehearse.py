"""`citescout`, with the SHA-256 of the played models in place of what their authors published."""

import json
import os
import sys
from dataclasses import replace

from cli.main import main
from encoders.models import register, registered

for name, files in json.loads(os.environ["PLAYED_SHA256"]).items():
    register(replace(registered(name), files=files))
main(sys.argv[1:])
