"""How much information a rater's labels carry."""
