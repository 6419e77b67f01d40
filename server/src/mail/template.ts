/** Texts with variables such as `{{application}}`. */

const VARIABLE = /\{\{\s*([^{}]*?)\s*\}\}/g

/** Replaces the variables in one pass, so that a value that looks like a variable stays as it is. */
export const fillTemplate = (template: string, values: Readonly<Partial<Record<string, string>>>): string =>
  template.replace(VARIABLE, (_all, name: string) => values[name] ?? '')

export const listUsedVariables = (template: string): string[] =>
  [...template.matchAll(VARIABLE)].map(([, name = '']) => name)

/** Whether every brace belongs to a variable. */
export const hasStrayBraces = (template: string): boolean => /\{\{|\}\}/.test(template.replace(VARIABLE, ''))
