/// <reference types="vite/client" />

const files = import.meta.glob<Record<string, string>>('./es/*.json', { eager: true, import: 'default' })

export const catalog: Record<string, string> = Object.assign({}, ...Object.values(files))
