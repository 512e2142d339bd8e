/**
 * Matches a telephone number or an empty text. The part before the first digit cannot contain digits. So there is only one way to
 * match, which takes linear time.
 */
export const phonePattern = /^$|^\+?[ ().-]*[0-9][0-9 ().-]*((ext\.?|x) ?[0-9]+)?$/
