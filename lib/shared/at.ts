// An element of a list that the caller knows to be long enough.

/** Returns the element at the index, from the end if it is negative; throws RangeError if there is none. */
export function at<Item>(list: ArrayLike<Item>, index: number): Item {
  const item = list[index < 0 ? list.length + index : index];
  if (item === undefined) throw new RangeError(`index ${index} is outside a list of ${list.length}`);
  return item;
}
