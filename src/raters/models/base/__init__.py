"""What every model is made from: votes, probabilities, a fit."""
