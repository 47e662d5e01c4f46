"""The sections of the report: one function a question, each in the file of its name; ``reporting/questions.py`` lists
them.
"""
