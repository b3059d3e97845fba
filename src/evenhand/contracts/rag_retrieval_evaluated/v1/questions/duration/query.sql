-- How long does the evaluation workflow take, by benchmark, review stratum and versions?
-- Percentiles are nearest-rank: the smallest value that at least so many of a hundred values do
-- not exceed. Ineligible rows have none. The window is half-open: start <= time < end.
WITH ranked AS (
    SELECT
        benchmark,
        review_stratum,
        retrieval_version,
        evaluator_version,
        prompt_version,
        duration_ms,
        ROW_NUMBER() OVER (
            PARTITION BY
                benchmark, review_stratum, retrieval_version, evaluator_version, prompt_version
            ORDER BY duration_ms
        ) AS place,
        COUNT(*) OVER (
            PARTITION BY
                benchmark, review_stratum, retrieval_version, evaluator_version, prompt_version
        ) AS size
    FROM rag_retrieval_evaluated_v1
    WHERE timestamp_utc >= :window_start AND timestamp_utc < :window_end
        AND COALESCE(outcome, 'evaluated') = 'evaluated'
)
SELECT
    benchmark,
    review_stratum,
    retrieval_version,
    evaluator_version,
    prompt_version,
    COUNT(*) AS evaluated,
    MIN(CASE WHEN place * 100 >= size * 50 THEN duration_ms END) AS p50_duration_ms,
    MIN(CASE WHEN place * 100 >= size * 95 THEN duration_ms END) AS p95_duration_ms,
    MAX(duration_ms) AS max_duration_ms
FROM ranked
GROUP BY benchmark, review_stratum, retrieval_version, evaluator_version, prompt_version
ORDER BY
    benchmark IS NULL, benchmark,
    review_stratum IS NULL, review_stratum,
    retrieval_version,
    evaluator_version,
    prompt_version IS NULL, prompt_version
