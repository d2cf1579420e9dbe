// CSV that Excel opens as a table.

// Without it, Excel reads UTF-8 as another encoding.
export const BYTE_ORDER_MARK = "\ufeff";

// Returns the separator that Excel expects: a semicolon where decimals have a comma.
export function excelSeparator() {
  return (0.5).toLocaleString().includes(",") ? ";" : ",";
}
