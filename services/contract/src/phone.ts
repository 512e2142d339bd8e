/**
 * Telephone number, or empty. The part before the first digit contains no digits, so the match is unambiguous and takes linear
 * time.
 */
export const phonePattern = /^$|^\+?[ ().-]*[0-9][0-9 ().-]*((ext\.?|x) ?[0-9]+)?$/
