"""The explorer: a local page that moves every setting of a configuration, train beside eval. See `kagejax explore`."""
