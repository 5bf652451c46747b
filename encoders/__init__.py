"""Title + abstract → vector, and the runtimes (torch, OpenVINO) that every model of the project runs on."""
