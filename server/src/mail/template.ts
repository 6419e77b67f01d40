/** Texts with variables such as `{{application}}`. */

/** One loop only: adjacent loops over the same characters take time that grows with the cube of the length. */
const VARIABLE = /\{\{([^{}]*)\}\}/g

/** Replaces the variables in one pass, so that a value that looks like a variable stays as it is. */
export const fillTemplate = (template: string, values: Readonly<Partial<Record<string, string>>>): string =>
  template.replace(VARIABLE, (_all, name: string) => values[name.trim()] ?? '')

export const listUsedVariables = (template: string): string[] =>
  [...template.matchAll(VARIABLE)].map(([, name = '']) => name.trim())

/** Whether every brace belongs to a variable. */
export const hasStrayBraces = (template: string): boolean => /\{\{|\}\}/.test(template.replace(VARIABLE, ''))
