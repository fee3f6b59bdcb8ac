"""The judge: grade notebooks of students whom nobody has to trust."""
