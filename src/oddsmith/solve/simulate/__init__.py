"""Playing games at random: an estimate with its confidence interval, from a seed."""
