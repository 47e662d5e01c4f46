"""The uncertainty of a fit: Gibbs sampling and the bootstrap over items."""
