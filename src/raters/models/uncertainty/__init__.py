"""How sure a fit is: Gibbs sampling, the bootstrap over items, full Bayes."""
