/** Header of the scoreboard with the version from which to request changes. */
export const boardVersionHeader = 'x-board-version'
