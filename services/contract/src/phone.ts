/**
 * Matches a telephone number or an empty text. The part of the pattern before the first digit cannot match digits. Each text can
 * therefore match in only one way, and the match takes linear time.
 */
export const phonePattern = /^$|^\+?[ ().-]*[0-9][0-9 ().-]*((ext\.?|x) ?[0-9]+)?$/
