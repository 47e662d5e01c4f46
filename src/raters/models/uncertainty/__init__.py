"""The uncertainty of a fit: Gibbs sampling, the bootstrap over items, full Bayes."""
