/** How wide an element is now, in whole pixels: drawings are made for the room that they have, so that their words stay legible. */

import { onBeforeUnmount, onMounted, ref, type Ref } from "vue";

const LEAST = 240;

export function useWidth(element: Ref<HTMLElement | null>, before = 720): Ref<number> {
  const width = ref(before);
  const observer = new ResizeObserver(([seen]) => {
    const now = Math.round(seen?.contentRect.width ?? 0);
    // While a page is being laid out an element may be next to nothing, and nothing can be drawn into that.
    if (now > 0) width.value = Math.max(now, LEAST);
  });
  onMounted(() => {
    if (element.value !== null) observer.observe(element.value);
  });
  onBeforeUnmount(() => observer.disconnect());
  return width;
}
