/**
 * Matches a telephone number or an empty text. The part of the pattern before the first digit cannot match digits. So each text
 * can match in only one way, which takes linear time.
 */
export const phonePattern = /^$|^\+?[ ().-]*[0-9][0-9 ().-]*((ext\.?|x) ?[0-9]+)?$/
