"""The trusted side: the instructor's notebook runs here, and asks the far side by value.

`server.py` is a process that forks a child for every notebook; `notebook.py` runs one; `proxies.py`
holds what stands for a student's functions; `far_side.py` talks across the wall.
"""
