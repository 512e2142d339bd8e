/** Anchor of the writeup section. */
export const writeupAnchor = 'writeup'

/** Anchor of the results section. */
export const resultsAnchor = 'results'
