"""Figures as PNG or SVG; needs the extra strandline[study]."""
