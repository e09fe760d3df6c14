import js from "@eslint/js";
import vue from "eslint-plugin-vue";
import ts from "typescript-eslint";

export default ts.config(
    { ignores: ["node_modules", "dist"] },
    js.configs.recommended,
    ...ts.configs.strict,
    ...vue.configs["flat/recommended"],
    { files: ["**/*.vue"], languageOptions: { parserOptions: { parser: ts.parser } } },
    {
        rules: {
            "no-undef": "off", // TypeScript knows
            "vue/no-v-html": "error", // nothing is ever inserted as HTML
            "vue/multi-word-component-names": "off",
            "vue/html-self-closing": "off", // Prettier's
            "vue/max-attributes-per-line": "off",
            "vue/singleline-html-element-content-newline": "off",
            "vue/html-indent": "off",
            "vue/html-closing-bracket-newline": "off",
            "no-console": "error",
        },
    },
);
