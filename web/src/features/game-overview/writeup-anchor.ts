/** `#` after the address of the game page. */
export const writeupAnchor = 'writeup'
