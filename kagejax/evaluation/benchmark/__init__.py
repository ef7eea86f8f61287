"""What a sweep of pairs says: its runs read, values, statistics, tables, figures and a page."""
