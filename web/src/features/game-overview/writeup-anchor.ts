export const writeupAnchor = 'writeup'

export const resultsAnchor = 'results'
