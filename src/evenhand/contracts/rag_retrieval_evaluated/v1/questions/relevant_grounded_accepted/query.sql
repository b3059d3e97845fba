-- Which retrieval and prompt versions give relevant context and grounded, acceptable answers?
-- One row per benchmark, review stratum and versions; NULL is a group of its own. No total: rows
-- of different benchmarks or strata may not be compared, so there is no sum over groups.
-- The window is half-open: start <= time < end.
SELECT
    benchmark,
    review_stratum,
    retrieval_version,
    evaluator_version,
    prompt_version,
    COUNT(*) AS events,
    SUM(CASE WHEN COALESCE(outcome, 'evaluated') = 'ineligible' THEN 1 ELSE 0 END) AS ineligible,
    SUM(CASE WHEN COALESCE(outcome, 'evaluated') = 'evaluated' THEN 1 ELSE 0 END) AS evaluated,
    AVG(CASE WHEN COALESCE(outcome, 'evaluated') = 'evaluated' THEN retrieval_score END)
        AS mean_retrieval_score,
    SUM(CASE WHEN COALESCE(outcome, 'evaluated') = 'evaluated' AND grounded THEN 1 ELSE 0 END)
        AS grounded,
    SUM(CASE WHEN COALESCE(outcome, 'evaluated') = 'evaluated' AND accepted THEN 1 ELSE 0 END)
        AS accepted,
    SUM(CASE WHEN COALESCE(outcome, 'evaluated') = 'evaluated' AND accepted IS NOT NULL
        THEN 1 ELSE 0 END) AS acceptance_known,
    SUM(CASE WHEN COALESCE(outcome, 'evaluated') = 'evaluated' AND accepted IS NULL
        THEN 1 ELSE 0 END) AS acceptance_unknown
FROM rag_retrieval_evaluated_v1
WHERE timestamp_utc >= :window_start AND timestamp_utc < :window_end
GROUP BY benchmark, review_stratum, retrieval_version, evaluator_version, prompt_version
ORDER BY
    benchmark IS NULL, benchmark,
    review_stratum IS NULL, review_stratum,
    retrieval_version,
    evaluator_version,
    prompt_version IS NULL, prompt_version
