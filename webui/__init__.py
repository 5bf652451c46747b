"""The web page and the JSON API: a Flask application on one `Recommender`, and the server that runs it."""

from webui.app import create_app
from webui.server import serve

__all__ = ["create_app", "serve"]
