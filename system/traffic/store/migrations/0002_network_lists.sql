-- Networks of all devices are kept in another form; what was kept in the one before goes.
DELETE FROM `buckets`;
