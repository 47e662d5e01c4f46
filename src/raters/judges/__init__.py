"""Models as raters: can a model stand in for people, and how informative are its labels?"""
