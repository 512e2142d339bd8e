/**
 * Telephone numbers, or empty. What stands before the first digit has no digits, so that a number can be read in one way only
 * and the time is linear.
 */
export const phonePattern = /^$|^\+?[ ().-]*[0-9][0-9 ().-]*((ext\.?|x) ?[0-9]+)?$/
