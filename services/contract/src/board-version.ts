/** Response header with the version of the scoreboard. Clients later request the changes since this version. */
export const boardVersionHeader = 'x-board-version'
