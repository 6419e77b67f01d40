/** Also read on a row that one rests on, which is lighter in the dark. */
export const LINK = 'light-dark(var(--mantine-color-brand-7), var(--mantine-color-brand-2))'
