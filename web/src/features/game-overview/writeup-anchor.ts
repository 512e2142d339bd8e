/** `#` after the address of the game page. */
export const writeupAnchor = 'writeup'

/** Address in the page of what became of the game. */
export const resultsAnchor = 'results'
