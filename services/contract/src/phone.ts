/**
 * Matches a telephone number or an empty text. The part before the first digit contains no digits, so there is only one way to
 * match. Matching takes linear time.
 */
export const phonePattern = /^$|^\+?[ ().-]*[0-9][0-9 ().-]*((ext\.?|x) ?[0-9]+)?$/
