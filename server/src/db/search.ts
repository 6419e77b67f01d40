/** The pattern of `ilike` for whatever holds this text somewhere. */
export const containing = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`
