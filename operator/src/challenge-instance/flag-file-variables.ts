/** Variables with the orders for the container that writes a flag's file. */
export const flagFileVariables = { path: 'FLAG_FILE_PATH', mode: 'FLAG_FILE_MODE', text: 'FLAG_FILE_TEXT' } as const
