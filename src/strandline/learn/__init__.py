"""From changes to beliefs: what captures teach about pages, directories and sites, kept in one place."""
