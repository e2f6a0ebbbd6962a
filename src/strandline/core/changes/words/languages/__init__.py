"""What the rules of meaning know of each language, a file each; `any.toml` holds what all of them share."""
