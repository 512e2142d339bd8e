export default import.meta.glob<{ default: Record<string, unknown> }>(['./*.ts', '!./index.ts'])
