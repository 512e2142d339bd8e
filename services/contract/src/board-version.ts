/** Response header of the scoreboard with its version. Clients request the changes since that version. */
export const boardVersionHeader = 'x-board-version'
