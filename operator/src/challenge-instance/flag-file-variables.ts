/** Variables that configure the container that writes the flag file. */
export const flagFileVariables = { path: 'FLAG_FILE_PATH', mode: 'FLAG_FILE_MODE', text: 'FLAG_FILE_TEXT' } as const
