"""What makes the lessons' outputs trustworthy: fixed kernels, strict rules, pixels compared.

notebooks/conftest.py hands these classes to nbval; scripts/render_notebooks.py writes outputs with
the same kernels. For someone who writes a lesson:

- `make render` runs the lessons and writes their outputs; nothing else may write them.
- Every output is compared: text, HTML, both streams, metadata (alt text), images as pixels.
- A cell that cannot be compared has the comment NBVAL_IGNORE_OUTPUT (or its tag) and a comment line
  `# exempt: …` with the reason; one that shows an exception has the tag raises-exception.
- A lesson that needs an optional package says so in its metadata, `"course": {"needs": ["torch"]}`;
  where the package is missing, the lesson is skipped, visibly.
"""
