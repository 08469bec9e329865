-- Rows and bytes of every table, before rows of one key have collapsed.
SELECT table, sum(rows) AS rows, sum(data_compressed_bytes) AS compressed_bytes, sum(data_uncompressed_bytes) AS uncompressed_bytes,
       count() AS parts, min(partition) AS oldest_partition, max(partition) AS newest_partition
FROM system.parts
WHERE active AND database = currentDatabase()
GROUP BY table
ORDER BY compressed_bytes DESC, table
