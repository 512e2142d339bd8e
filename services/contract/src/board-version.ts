/** Header of the scoreboard's answer with the version to ask for changes since. */
export const boardVersionHeader = 'x-board-version'
