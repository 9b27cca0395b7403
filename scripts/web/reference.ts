// The viewer of the API. (Its builder replaces this file.)

/** Writes the page into `folder`. */
export async function buildReference(_folder: string): Promise<void> {}
