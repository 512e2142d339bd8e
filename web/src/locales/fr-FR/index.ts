/** The areas of this language, each loaded when it is asked for. */
export default import.meta.glob<{ default: Record<string, unknown> }>(['./*.ts', '!./index.ts'])
