"""What makes the lessons' outputs trustworthy: fixed kernels, strict rules, pixels compared.

notebooks/conftest.py hands these classes to nbval; scripts/render_notebooks.py writes outputs with
the same kernels.
"""
