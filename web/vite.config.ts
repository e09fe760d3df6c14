import { fileURLToPath } from "node:url";
import vue from "@vitejs/plugin-vue";
import { defineConfig } from "vite";

const page = (name: string) => fileURLToPath(new URL(`./${name}.html`, import.meta.url));

// One entry a page, so that a page loads only what it shows. Everything is served from the service's own origin, under `default-src 'self'`.
export default defineConfig({
  plugins: [vue()],
  base: "/",
  build: {
    outDir: fileURLToPath(new URL("../src/handrail/service/static", import.meta.url)),
    emptyOutDir: true,
    assetsInlineLimit: 0, // a data: URL would need a wider content policy
    modulePreload: { polyfill: false },
    target: "es2022",
    rolldownOptions: {
      input: {
        home: page("home"),
        delivery: page("delivery"),
        panel: page("panel"),
        trips: page("trips"),
        orders: page("orders"),
      },
    },
  },
  server: { proxy: { "^/(agent|me|sign-|delivery/|trips/|orders/|v1|healthz|readyz|pages)": "http://127.0.0.1:8000" } },
});
