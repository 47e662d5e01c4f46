"""Models as raters: may a model stand in for people, and what are its labels worth?"""
