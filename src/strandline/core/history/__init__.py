"""What the captures of the past say: series of importance, change rates, general delta trees."""
