"""Restaurants and pictures over HTTP."""

from pathlib import Path

from defusedxml import ElementTree
